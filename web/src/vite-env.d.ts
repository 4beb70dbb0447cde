/// <reference types="vite/client" />

/** Error messages of the first pages (tools/firstErrors.ts). */
declare module '@catalogue/*/errors.json?first' {
  const messages: Record<string, string>;
  export default messages;
}

/** HTML of the landing page (tools/prerender.ts); empty in the development server. */
declare module 'virtual:landing/*' {
  export const html: string;
}
