import type { Request } from '../../api/types';

/** Application form fields and their labels. */
export function applicationFields(request: Request | undefined): Record<string, string> {
  const form: unknown = request?.data.application;
  const given = form && typeof form === 'object' ? Object.entries(form) : [];
  return Object.fromEntries(given.filter(([, value]) => typeof value === 'string' && value !== ''));
}

/** Applicant value of a field, to prefill another form. Applications through a provider have only the name. */
export function applicantValue(request: Request | undefined, field: string): string {
  const form = applicationFields(request);
  if (request && !request.data.application && request.kind === 'account') {
    const [first = '', ...rest] = request.name.split(' ');
    if (field === 'first_name') return first;
    if (field === 'last_name') return rest.join(' ');
  }
  return form[field] ?? '';
}
