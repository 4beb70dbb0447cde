export { DocumentsPage as Component } from '../../shared/documents/DocumentsPage';
