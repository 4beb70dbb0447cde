import errors from '@catalogue/es/errors.json';
import events from '@catalogue/es/events.json';
import names from '@catalogue/es/names.json';
import admin from './admin.json';
import billing from './billing.json';
import client from './client.json';
import commissions from './commissions.json';
import company from './company.json';
import dashboards from './dashboards.json';
import documents from './documents.json';
import employee from './employee.json';
import grid from './grid.json';
import threads from './messages.json';
import notifications from './notifications.json';
import orders from './orders.json';
import partners from './partners.json';
import profile from './profile.json';
import publicPages from './public.pages.json';
import reports from './reports.json';
import requests from './requests.json';
import security from './security.json';
import shell from './shell.json';
import users from './users.json';

/** Messages that the sign-in pages do not need before signing in. */
export const messages = {
  errors,
  events,
  names,
  admin,
  billing,
  client,
  commissions,
  company,
  dashboards,
  documents,
  employee,
  grid,
  messages: threads,
  notifications,
  orders,
  partners,
  profile,
  // Beside the texts of signing in, in the same namespace.
  public: publicPages,
  reports,
  requests,
  security,
  shell,
  users,
};
