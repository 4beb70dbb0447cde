import { paths } from '../../paths';
import { useMe } from '../session/me';

/** Where documents and orders are in the portal of whoever is signed in. */
export function usePortalLinks() {
  const isClient = useMe().role === 'client';
  return isClient
    ? { isClient, documents: paths.clientDocuments, document: paths.clientDocument, order: paths.clientOrder }
    : {
        isClient,
        documents: paths.employeeDocuments,
        document: paths.employeeDocument,
        order: paths.employeeOrder,
      };
}
