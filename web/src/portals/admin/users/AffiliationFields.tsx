import { useTranslation } from 'react-i18next';
import type { UseFormReturnType } from '@mantine/form';
import type { Role } from '../../../api/types';
import { CompanySelect, IsoSelect, NO_ISO } from '../../../shared/selects';
import { FieldPair } from '../../../ui/FormModal';

export interface Affiliation {
  role: Role | null;
  company_id: string | null;
  iso_id: string | null;
}

/** Roles with a company of their own; a partner has the company of its ISO. */
export const COMPANY_ROLES = (role: Role | null) => role === 'client' || role === 'company_admin';

/** Roles that have or are an ISO partner. */
const ISO_ROLES = (role: Role | null) => role === 'client' || role === 'iso';

/** Company and ISO partner fields of a role. */
export function AffiliationFields<Values extends Affiliation>({
  form,
  companyName,
  isoText,
}: {
  form: UseFormReturnType<Values>;
  companyName?: string;
  /** Hint for a partner role without an ISO; without a hint the ISO is required. */
  isoText?: string;
}) {
  const { t } = useTranslation('names');
  const { role, company_id: company } = form.values;
  if (!COMPANY_ROLES(role) && !ISO_ROLES(role)) return null;
  const chosen = form as unknown as UseFormReturnType<Affiliation>;
  return (
    <FieldPair>
      <CompanySelect
        label={t('field.company_id')}
        required={role !== 'iso' || isoText === undefined}
        initialLabel={companyName}
        value={company}
        error={chosen.errors.company_id}
        onChange={(id) => chosen.setValues({ company_id: id, iso_id: null })}
      />
      {ISO_ROLES(role) && (
        <IsoSelect
          companyId={company}
          label={t('field.iso_id')}
          required={role === 'iso' && isoText === undefined}
          description={role === 'iso' ? isoText : undefined}
          value={form.values.iso_id}
          error={chosen.errors.iso_id}
          onChange={(id) => chosen.setFieldValue('iso_id', id)}
        />
      )}
    </FieldPair>
  );
}

/** Request body without fields irrelevant for the role. */
export function affiliationBody<Chosen extends Role | null>({
  role,
  company_id,
  iso_id,
}: Affiliation & { role: Chosen }) {
  const iso = iso_id === NO_ISO ? null : iso_id;
  return {
    role,
    company_id: COMPANY_ROLES(role) ? company_id : null,
    iso_id: ISO_ROLES(role) ? iso : null,
  };
}
