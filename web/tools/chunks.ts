/**
 * Chunks of the build: few files on the way to each page. A module belongs to the chunk of those who reach it without a
 * dynamic import: the landing page, the app, sign-in, the home page of a portal, or its other pages.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface ModuleInfo {
  importedIds: readonly string[];
  dynamicallyImportedIds: readonly string[];
}
export interface ModuleGraph {
  getModuleInfo(id: string): ModuleInfo | null;
}

/** Where a module is used. */
interface Zones {
  /** On every page. */
  entry: Set<string>;
  /** React, on every page but the prerendered one. */
  core: Set<string>;
  landing: Set<string>;
  app: Set<string>;
  signIn: Set<string>;
  publicPages: Set<string>;
  /** By portal. */
  home: Map<string, Set<string>>;
  pages: Map<string, Set<string>>;
}

/** Loaded by public pages too, which need nothing else of the portals. */
const allStyles = /\/(allStyles\.ts|@mantine\/core\/styles\.layer\.css)$/;

/** Package entries that only re-export: who imports a name from them uses the module of that name. */
const barrels = [
  /@mantine\/\w+\/esm\/index\.mjs$/,
  /@tabler\/icons-react\/dist\/esm\/tabler-icons-react\.mjs$/,
  /node_modules\/recharts\/es6\/index\.js$/,
  /node_modules\/react-i18next\/dist\/es\/index\.js$/,
  /@tanstack\/(react-query|query-core)\/build\/modern\/index\.js$/,
];
const isBarrel = (id: string) => barrels.some((pattern) => pattern.test(id));

/** Name and alias of each clause of `import { … } from '…'`, or `export { … } from '…'`. */
function* clauses(code: string): Generator<{ name: string; alias: string; from: string }> {
  for (const [, list = '', from = ''] of code.matchAll(
    /(?:import|export)\s*\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g,
  )) {
    for (const clause of list.split(',')) {
      const [name = '', alias = name] = clause.trim().split(/\s+as\s+/);
      if (name && !name.startsWith('type ')) yield { name, alias, from };
    }
  }
}

/** Module of a package that a barrel passes on. */
function packageEntry(barrel: string, name: string, graph: ModuleGraph): string {
  const ids = graph.getModuleInfo(barrel)?.importedIds ?? [];
  return ids.find((id) => id.includes(`/node_modules/${name}/`)) ?? name;
}

const exportsOfBarrels = new Map<string, Map<string, string>>();

/** Module of each name that a barrel exports. */
function exportsOf(barrel: string, graph: ModuleGraph): Map<string, string> {
  const known = exportsOfBarrels.get(barrel);
  if (known) return known;
  const code = readFileSync(barrel, 'utf8');
  const found = new Map<string, string>();
  for (const [, from = ''] of code.matchAll(/export \* from ['"]([^'".][^'"]*)['"]/g)) {
    const inner = packageEntry(barrel, from, graph);
    if (isBarrel(inner)) for (const [name, id] of exportsOf(inner, graph)) found.set(name, id);
  }
  for (const { alias, from } of clauses(code))
    found.set(alias, from.startsWith('.') ? join(dirname(barrel), from) : packageEntry(barrel, from, graph));
  exportsOfBarrels.set(barrel, found);
  return found;
}

/** Modules that a module imports, seen through barrels. */
function imports(id: string, graph: ModuleGraph): string[] {
  const ids = graph.getModuleInfo(id)?.importedIds ?? [];
  const direct = ids.filter((imported) => !isBarrel(imported));
  const through = ids.filter(isBarrel);
  if (through.length === 0) return direct;
  const names = [...clauses(readFileSync(id, 'utf8'))].map(({ name }) => name);
  const named = through.flatMap((barrel) => names.map((name) => exportsOf(barrel, graph).get(name)));
  return [...direct, ...named.filter((found) => found !== undefined)];
}

const source = (id: string) => /\/web\/src\/(.*)\.tsx?$/.exec(id)?.[1];

/** Modules reached from `roots` without a dynamic import. */
function reachable(roots: readonly string[], graph: ModuleGraph): Set<string> {
  const found = new Set<string>();
  const open = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...imports(id, graph));
  }
  return found;
}

/** The portal of a route module; `shared` for those of every portal. */
const portalOf = (id: string) => /^portals\/(\w+)\//.exec(source(id) ?? '')?.[1] ?? 'shared';
/** Layout and first page of a portal. */
const isHome = (id: string) =>
  /^portals\/\w+\/(\w+Portal|CompanyScope|DashboardPage)$/.test(source(id) ?? '');

function findZones(src: string, graph: ModuleGraph): Zones {
  const dynamic = (file: string) => graph.getModuleInfo(`${src}/${file}`)?.dynamicallyImportedIds ?? [];
  const publicRoutes = dynamic('portals/public/routes.tsx');
  // The other pages of signing in are rare: their controls would make the first one larger.
  const isSignIn = (route: string) => /portals\/public\/(auth\/LoginPage|frame\/MinimalLayout)/.test(route);
  const home = new Map<string, Set<string>>();
  const pages = new Map<string, Set<string>>();
  for (const route of dynamic('routes.tsx')) {
    const zone = isHome(route) ? home : pages;
    const known = zone.get(portalOf(route)) ?? [];
    zone.set(portalOf(route), new Set([...known, ...reachable([route], graph)]));
  }
  return {
    entry: reachable([`${src}/main.ts`], graph),
    core: reachable([`${src}/start.tsx`], graph),
    landing: reachable([`${src}/portals/public/landing/Landing.tsx`], graph),
    app: reachable([`${src}/App.tsx`, `${src}/messages/index.ts`], graph),
    signIn: reachable(publicRoutes.filter(isSignIn), graph),
    publicPages: reachable(
      publicRoutes.filter((route) => !isSignIn(route)),
      graph,
    ),
    home,
    pages,
  };
}

/** Names the chunk of each module below `src` and of the packages; null leaves it to the bundler. */
export function chunkNames(src: string): (id: string, graph: ModuleGraph) => string | null {
  let zones: Zones | undefined;
  return (id, graph) => {
    zones ??= findZones(src, graph);
    return nameIn(zones, id);
  };
}

function nameIn(zones: Zones, id: string): string | null {
  if (zones.entry.has(id)) return 'entry';
  if (zones.core.has(id)) return 'core';
  const users = (zone: Map<string, Set<string>>) =>
    [...zone].filter(([, modules]) => modules.has(id)).map(([portal]) => portal);
  const homes = users(zones.home);
  const portals = new Set([...homes, ...users(zones.pages)]);
  const isPublic = zones.publicPages.has(id);
  if (zones.landing.has(id)) {
    const isShared = zones.app.has(id) || zones.signIn.has(id) || portals.size > 0;
    // The prerendered page needs its styles without its scripts.
    if (id.endsWith('.module.css')) return isShared ? 'entry' : 'landing-styles';
    return isShared ? 'core' : 'landing';
  }
  const isApp = zones.app.has(id) || (zones.signIn.has(id) && (isPublic || portals.size > 0));
  // The page links these styles: one file less, and nothing waits for the scripts that import it.
  if (isApp) return id.endsWith('.css') ? 'entry' : 'app';
  if (zones.signIn.has(id)) return 'sign-in';
  if (portals.size === 0) return null;
  if (isPublic || allStyles.test(id)) return 'controls';
  const name = portals.size === 1 ? [...portals].join('') : 'shared';
  return homes.length > 0 ? name : `${name}-pages`;
}
