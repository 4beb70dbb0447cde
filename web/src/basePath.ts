/**
 * Base path: the path of the public URL, empty or like `/portal`. Paths of the app and of the API are written without it;
 * the router adds it to its own. Imports nothing, because it is in the first chunk.
 */
export const basePath = readBasePath();

/** The server writes it into index.html. */
function readBasePath(): string {
  const meta = globalThis.document?.querySelector?.<HTMLMetaElement>('meta[name="base-path"]');
  return meta ? new URL(meta.content, location.origin).pathname.replace(/\/$/, '') : '';
}

/** URL path of a path of the app or the API. */
export const toPublicPath = (path: string) => basePath + path;

/** Absolute URL of a path of the app or the API. */
export const toPublicUrl = (path: string) => location.origin + toPublicPath(path);

/** Path of the app for a URL path; undefined outside the base path. */
export function toAppPath(pathname: string, base = basePath): string | undefined {
  if (pathname === base) return '/';
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : undefined;
}

/** Path of the app in the address bar, without the query. */
export const currentPath = () => toAppPath(location.pathname) ?? location.pathname;
