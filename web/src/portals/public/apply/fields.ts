/** Fields of each application form, in order (decision 22). The server validates again. */
import type { ApplicationForm } from '../../../api/types';
import type { Portal } from '../../../paths';
import { isPhone } from '../../../shared/validators';

export type Size = 'clients_per_year' | 'company_size';

/** Wire name of a field; the email is separate. */
type Name = keyof ApplicationForm | 'email';

export interface Field {
  name: Name;
  kind: 'line' | 'text' | 'country' | 'size' | 'email' | 'phone' | 'website';
  required?: boolean;
  autoComplete?: string;
  /** Shares its row with the next field if there is room. */
  half?: boolean;
}

export interface Part {
  name: 'you' | 'client' | 'employee' | 'iso' | 'company';
  fields: Field[];
}

export const sizes = ['1-10', '11-50', '51-200', '201+'] as const;

const personFields = (phone: 'phone' | 'required phone', ...more: Field[]): Part => ({
  name: 'you',
  fields: [
    { name: 'first_name', kind: 'line', required: true, half: true, autoComplete: 'given-name' },
    { name: 'last_name', kind: 'line', required: true, half: true, autoComplete: 'family-name' },
    { name: 'email', kind: 'email', required: true, half: true, autoComplete: 'email' },
    { name: 'phone', kind: 'phone', required: phone === 'required phone', half: true, autoComplete: 'tel' },
    ...more,
  ],
});

const website: Field = { name: 'website', kind: 'website', half: true, autoComplete: 'url' };
const businessName: Field = { name: 'business_name', kind: 'line', required: true, half: true };

export const forms: Record<Portal, Part[]> = {
  client: [
    personFields('phone'),
    {
      name: 'client',
      fields: [
        { name: 'country', kind: 'country', required: true, half: true },
        { name: 'company', kind: 'line', half: true, autoComplete: 'organization' },
        { name: 'purpose', kind: 'text' },
      ],
    },
  ],
  employee: [
    personFields('phone'),
    {
      name: 'employee',
      fields: [
        { name: 'job_title', kind: 'line', required: true, half: true, autoComplete: 'organization-title' },
        { name: 'department', kind: 'line', half: true },
        { name: 'reason', kind: 'text', required: true },
      ],
    },
  ],
  iso: [
    personFields('required phone'),
    {
      name: 'iso',
      fields: [
        { ...businessName, autoComplete: 'organization' },
        website,
        { name: 'clients_per_year', kind: 'size' },
        { name: 'experience', kind: 'text' },
      ],
    },
  ],
  company: [
    personFields('phone', { name: 'job_title', kind: 'line', autoComplete: 'organization-title' }),
    {
      name: 'company',
      fields: [
        { name: 'name', kind: 'line', required: true, half: true, autoComplete: 'organization' },
        businessName,
        website,
        { name: 'company_size', kind: 'size', half: true },
        { name: 'reason', kind: 'text' },
      ],
    },
  ],
};

export type Draft = Record<string, string>;

export function formFields(portal: Portal): Field[] {
  return forms[portal].flatMap((part) => part.fields);
}

type ValidationCode = 'required' | 'invalid_email' | 'invalid_phone';

/** Client-side validation: error code by field. */
export function validationErrors(portal: Portal, draft: Draft): Record<string, ValidationCode> {
  const found: Record<string, ValidationCode> = {};
  for (const { name, kind, required } of formFields(portal)) {
    const value = draft[name]?.trim() ?? '';
    if (required && !value) found[name] = 'required';
    else if (kind === 'email' && !/^\S+@\S+\.\S+$/.test(value)) found[name] = 'invalid_email';
    else if (kind === 'phone' && value && !isPhone(value)) found[name] = 'invalid_phone';
  }
  return found;
}

interface Application {
  email: string;
  application: ApplicationForm;
}

/** Request body without empty fields. */
export function application(portal: Portal, draft: Draft): Application {
  const trimmed = (name: Name) => draft[name]?.trim() ?? '';
  const filled: ApplicationForm = { first_name: trimmed('first_name'), last_name: trimmed('last_name') };
  for (const { name, kind } of formFields(portal)) {
    const value = trimmed(name);
    if (value && name !== 'email') filled[name] = kind === 'website' ? withScheme(value) : value;
  }
  return { email: trimmed('email'), application: filled };
}

/** Accepts "example.com" without a scheme. */
function withScheme(address: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`;
}
