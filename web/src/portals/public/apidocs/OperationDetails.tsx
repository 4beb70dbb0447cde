import { useTranslation } from 'react-i18next';
import {
  bodySchema,
  schemaFields,
  operationParameters,
  typeName,
  type Document,
  type Entry,
  type Field,
} from './openapi';
import css from './OperationDetails.module.css';

interface Props {
  document: Document;
  entry: Entry;
  /** Localized summary. */
  summary: string;
}

export function OperationDetails({ document, entry, summary }: Props) {
  const { t } = useTranslation('public');
  const { method, path, operation } = entry;
  const parameters = operationParameters(document, operation);
  const sent = bodySchema(operation.requestBody?.content);
  const sentFields = schemaFields(document, sent);
  return (
    <details className={css.operation}>
      <summary>
        <span className={css.method} data-method={method}>
          {method.toUpperCase()}
        </span>
        <code className={css.path}>{path}</code>
        <span className={css.words}>{summary}</span>
      </summary>
      <div className={css.details}>
        {operation.description && <p>{operation.description}</p>}
        {parameters.length > 0 && (
          <FieldList
            title={t('api.parameters')}
            fields={parameters}
            place={(field) => t(`api.in.${field.place}`)}
          />
        )}
        {sent && <FieldList title={`${t('api.body')} · ${typeName(sent)}`} fields={sentFields} />}
        <h3>{t('api.responses')}</h3>
        <dl className={css.answers}>
          {Object.entries(operation.responses ?? {}).map(([status, answer]) => (
            <div key={status}>
              <dt>{status}</dt>
              <dd>
                {answer.description} <code>{typeName(bodySchema(answer.content))}</code>
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </details>
  );
}

interface FieldListProps<Row extends Field> {
  title: string;
  fields: Row[];
  place?: (field: Row) => string;
}

function FieldList<Row extends Field>({ title, fields, place }: FieldListProps<Row>) {
  const { t } = useTranslation('public');
  return (
    <>
      <h3>{title}</h3>
      <dl className={css.fields}>
        {fields.map((field) => (
          <div key={field.name}>
            <dt>
              <code>{field.name}</code>
            </dt>
            <dd>
              <code>{field.type}</code>
              <span>{[place?.(field), field.required && t('api.required')].filter(Boolean).join(' · ')}</span>
              {field.description && <p>{field.description}</p>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
