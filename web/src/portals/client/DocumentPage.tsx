export { DocumentPage as Component } from '../../shared/documents/DocumentPage';
