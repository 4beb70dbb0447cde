import { describe, expect, test } from 'vitest';
import { application, validationErrors, formFields } from './fields';

const noor = { first_name: 'Noor', last_name: 'Haddad', email: 'noor@example.com' };

describe('an application', () => {
  test('names every required field that is empty, and an address that is none', () => {
    expect(validationErrors('iso', { ...noor, email: 'noor', phone: '  ' })).toEqual({
      email: 'invalid_email',
      phone: 'required',
      business_name: 'required',
    });
    expect(validationErrors('client', { ...noor, country: 'SG' })).toEqual({});
    expect(validationErrors('client', { ...noor, country: 'SG', phone: 'abc' })).toEqual({ phone: 'invalid_phone' });
  });

  test('leaves out what was left empty, and keeps the e-mail address beside the form', () => {
    expect(application('client', { ...noor, phone: ' ', country: 'SG', purpose: ' A fund. ' })).toEqual({
      email: 'noor@example.com',
      application: { first_name: 'Noor', last_name: 'Haddad', country: 'SG', purpose: 'A fund.' },
    });
  });

  test('takes no field of another form along', () => {
    const draft = { ...noor, company_size: '1-10', website: 'haddad.example' };
    expect(application('employee', draft).application).toEqual({ first_name: 'Noor', last_name: 'Haddad' });
  });

  test('completes an address of the web, and leaves a wrong one to the server', () => {
    const website = (typed: string) => application('iso', { ...noor, website: typed }).application.website;
    expect(website('haddad.example/deals')).toBe('https://haddad.example/deals');
    expect(website('http://haddad.example')).toBe('http://haddad.example');
  });
});

test('no form asks for the same thing twice', () => {
  for (const portal of ['client', 'employee', 'iso', 'company'] as const) {
    const names = formFields(portal).map((field) => field.name);
    expect(new Set(names).size).toBe(names.length);
  }
});
