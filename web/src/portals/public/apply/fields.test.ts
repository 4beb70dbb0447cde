import { describe, expect, test } from 'vitest';
import { application, validationErrors, formFields } from './fields';

const noor = { first_name: 'Noor', last_name: 'Haddad', email: 'noor@example.com' };

describe('application form', () => {
  test('reports empty required fields and invalid emails', () => {
    expect(validationErrors('iso', { ...noor, email: 'noor', phone: '  ' })).toEqual({
      email: 'invalid_email',
      phone: 'required',
      business_name: 'required',
    });
    expect(validationErrors('client', { ...noor, country: 'SG' })).toEqual({});
    expect(validationErrors('client', { ...noor, country: 'SG', phone: 'abc' })).toEqual({
      phone: 'invalid_phone',
    });
  });

  test('omits empty fields and keeps the email separate', () => {
    expect(application('client', { ...noor, phone: ' ', country: 'SG', purpose: ' A fund. ' })).toEqual({
      email: 'noor@example.com',
      application: { first_name: 'Noor', last_name: 'Haddad', country: 'SG', purpose: 'A fund.' },
    });
  });

  test('ignores fields of other forms', () => {
    const draft = { ...noor, company_size: '1-10', website: 'haddad.example' };
    expect(application('employee', draft).application).toEqual({ first_name: 'Noor', last_name: 'Haddad' });
  });

  test('completes a website URL and leaves an invalid one to the server', () => {
    const website = (typed: string) => application('iso', { ...noor, website: typed }).application.website;
    expect(website('haddad.example/deals')).toBe('https://haddad.example/deals');
    expect(website('http://haddad.example')).toBe('http://haddad.example');
  });
});

test('has no duplicate fields', () => {
  for (const portal of ['client', 'employee', 'iso', 'company'] as const) {
    const names = formFields(portal).map((field) => field.name);
    expect(new Set(names).size).toBe(names.length);
  }
});
