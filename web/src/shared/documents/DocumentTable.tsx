import type { ReactNode } from 'react';
import { useNavigate } from 'react-router-dom';
import type { Document } from '../../api/types';
import { DataGrid } from '../../ui/grid/DataGrid';
import type { GridState } from '../../ui/grid/columns';
import { useDocumentColumns } from './documentColumns';
import { usePortalLinks } from './links';

interface Props {
  label: string;
  state: GridState<Document>;
  empty: ReactNode;
}

/** Documents of one order. */
export function DocumentTable({ label, state, empty }: Props) {
  const places = usePortalLinks();
  const navigate = useNavigate();
  return (
    <DataGrid<Document>
      label={label}
      columns={useDocumentColumns(false)}
      state={state}
      rowKey={(document) => document.id}
      hrefOf={(document) => places.document(document.id)}
      onOpen={(_, href) => void navigate(href)}
      empty={empty}
    />
  );
}
