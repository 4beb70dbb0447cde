import { DocumentsPage } from '../../shared/documents/DocumentsPage';
import { BackToDashboard } from './BackToDashboard';

export function Component() {
  return <DocumentsPage back={<BackToDashboard />} />;
}
