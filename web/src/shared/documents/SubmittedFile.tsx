import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../api/queries';
import classes from './documents.module.css';
import { usePortalLinks } from './links';
import { VersionButtons } from './VersionButtons';
import { fileFacts } from './labels';

/** The latest submitted version of a request, with a link to all. */
export function SubmittedFile({ id }: { id: string }) {
  const { t } = useTranslation('documents');
  const places = usePortalLinks();
  const { data: document } = useQuery(queries.document(id));
  if (!document) return null;
  const { latest } = document;
  return (
    <div className={classes.submitted}>
      <span>
        <Anchor component={Link} to={places.document(id)} fz="inherit" underline="always">
          {latest.file_name}
        </Anchor>{' '}
        <span className={classes.aside}>
          {t('request.version', { number: latest.number })} · {fileFacts(t, latest)}
        </span>
      </span>
      <VersionButtons version={latest} />
    </div>
  );
}
