import type { Request } from '../../api/types';

/** The form of an application, field by field. */
export function applicationFields(request: Request | undefined): Record<string, string> {
  const form: unknown = request?.data.application;
  const given = form && typeof form === 'object' ? Object.entries(form) : [];
  return Object.fromEntries(given.filter(([, value]) => typeof value === 'string' && value !== ''));
}

/**
 * What an applicant wrote in one field, to begin another form with. Who came by a provider filled in none: of them the
 * name is known.
 */
export function applicantValue(request: Request | undefined, field: string): string {
  const form = applicationFields(request);
  if (request && !request.data.application && request.kind === 'account') {
    const [first = '', ...rest] = request.name.split(' ');
    if (field === 'first_name') return first;
    if (field === 'last_name') return rest.join(' ');
  }
  return form[field] ?? '';
}
