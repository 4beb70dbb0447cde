/** Subset of OpenAPI that the page uses. */

interface Reference {
  $ref: string;
}

export interface Schema {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  items?: Schema | Reference;
  properties?: Record<string, Schema | Reference>;
  required?: string[];
  allOf?: (Schema | Reference)[];
  oneOf?: (Schema | Reference)[];
  anyOf?: (Schema | Reference)[];
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema | Reference;
}

type Content = Record<string, { schema?: Schema | Reference }>;

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: { content?: Content };
  responses?: Record<string, { description?: string; content?: Content }>;
}

export interface Document {
  info: { title: string; version: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> };
}

export interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Groups that readers look for first; the others follow by name. */
const MAIN_NOUNS = [
  'spvs',
  'steps',
  'clients',
  'companies',
  'isos',
  'documents',
  'requests',
  'invoices',
  'commissions',
];

function rank(noun: string): number {
  const place = MAIN_NOUNS.indexOf(noun);
  return place < 0 ? MAIN_NOUNS.length : place;
}

/** Groups operations by the first path segment: `/rest/v1/spvs/{id}/start` and `spvs.csv` belong to `spvs`. */
export function groupByNoun(document: Document): [noun: string, entries: Entry[]][] {
  const groups = new Map<string, Entry[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    const entries = methods.flatMap((method) => {
      const operation = operations[method];
      return operation ? [{ method, path, operation }] : [];
    });
    const noun = operationNoun(path);
    groups.set(noun, [...(groups.get(noun) ?? []), ...entries]);
  }
  return [...groups].toSorted(([one], [other]) => rank(one) - rank(other) || one.localeCompare(other));
}

function operationNoun(path: string): string {
  const [base, version, noun] = path.split('/').filter(Boolean);
  return base === 'rest' ? (noun ?? '').replace(/\.[a-z]+$/, '') : [base, version].filter(Boolean).join('/');
}

export interface Field {
  name: string;
  type: string;
  required: boolean;
  description?: string;
}

export function operationParameters(document: Document, operation: Operation): (Field & { place: string })[] {
  return (operation.parameters ?? []).flatMap((given) => {
    const parameter = '$ref' in given ? document.components?.parameters?.[refName(given)] : given;
    if (!parameter) return [];
    const { name, required = false, description, schema } = parameter;
    return [{ name, place: parameter.in, type: typeName(schema), required, description }];
  });
}

/** Fields of a schema; lists and scalars have none. */
export function schemaFields(document: Document, schema: Schema | Reference | undefined): Field[] {
  if (!schema) return [];
  const whole = '$ref' in schema ? document.components?.schemas?.[refName(schema)] : schema;
  if (!whole) return [];
  const inherited = (whole.allOf ?? []).flatMap((part) => schemaFields(document, part));
  const own = Object.entries(whole.properties ?? {}).map(([name, property]) => ({
    name,
    type: typeName(property),
    required: whole.required?.includes(name) ?? false,
    description: 'description' in property ? property.description : undefined,
  }));
  return [...inherited, ...own];
}

export function bodySchema(content: Content | undefined): Schema | Reference | undefined {
  return Object.values(content ?? {})[0]?.schema;
}

/** Type label: `string (date)`, `Spv`, `Spv[]`, `"quick" | "full"`. */
export function typeName(schema: Schema | Reference | undefined): string {
  if (!schema) return '';
  if ('$ref' in schema) return refName(schema);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.map(typeName).join(' | ');
  if (schema.allOf) return schema.allOf.map(typeName).join(' & ');
  if (schema.items) return `${typeName(schema.items)}[]`;
  const types = [schema.type ?? 'object'].flat().join(' | ');
  return schema.format ? `${types} (${schema.format})` : types;
}

function refName({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}
