import { paths } from '../../paths';
import { useMe } from '../session/me';

/** Document and order links in the portal of the current user. */
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
