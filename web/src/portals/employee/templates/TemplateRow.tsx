import { IconFileText } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TemplateStep } from './TemplateEditor';
import classes from './Templates.module.css';

interface Props {
  step: TemplateStep;
  number: number;
  /** Names of the dependencies. */
  needs: string[];
  handle: ReactNode;
  action: ReactNode;
}

export function TemplateRow({ step, number, needs, handle, action }: Props) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const facts = [
    t(`names:owner.${step.owner}`),
    t('templates.due', { count: step.business_days }),
    needs.length > 0 && t('common:step.waits_for', { names: needs.map((name) => `“${name}”`).join(', ') }),
    step.completes_with_documents && t('step.completes'),
  ].filter(Boolean);
  return (
    <div className={classes.row}>
      {handle && <span className={classes.handle}>{handle}</span>}
      <span className={classes.number} aria-hidden="true">
        {number}.
      </span>
      <div className={classes.body}>
        <div className={classes.name}>{step.step_name}</div>
        <div className={classes.facts}>{facts.join(' · ')}</div>
        {step.documents.length > 0 && (
          <ul className={classes.documents} aria-label={t('templates.documents')}>
            {step.documents.map((document, n) => (
              // Two documents may have one name.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={n}>
                <IconFileText size={14} aria-hidden="true" />
                <span>
                  {document.name}
                  {!document.required && ` (${t('templates.optional')})`}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {action}
    </div>
  );
}
