import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Document } from '../../api/types';
import classes from './documents.module.css';
import { usePortalLinks } from './links';
import { VersionButtons } from './VersionButtons';
import { fileFacts } from './labels';

interface Props {
  document: Document;
  /** Replaces the file facts below the name. */
  facts?: ReactNode;
}

/** One document in a line: link, preview and download. */
export function DocumentLine({ document, facts }: Props) {
  const { t } = useTranslation('documents');
  const places = usePortalLinks();
  const { latest } = document;
  return (
    <div className={classes.line}>
      <span className={classes.lineWords}>
        <Anchor component={Link} to={places.document(document.id)} fz="inherit">
          {document.name}
        </Anchor>
        <span className={classes.aside}>{facts ?? fileFacts(t, latest)}</span>
      </span>
      <VersionButtons version={latest} />
    </div>
  );
}

/** Attachments of an item. */
export function DocumentLines({ documents, label }: { documents: Document[]; label: string }) {
  if (documents.length === 0) return null;
  return (
    <ul className={classes.lines} aria-label={label}>
      {documents.map((document) => (
        <li key={document.id}>
          <DocumentLine document={document} />
        </li>
      ))}
    </ul>
  );
}
