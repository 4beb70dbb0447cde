/** Written by hand from the API's contract until `web/openapi.json` exists; then `npm run openapi` overwrites it. */

type Role = 'client' | 'iso' | 'employee' | 'company_admin' | 'super_admin';
type SpvStatus = 'pending' | 'active' | 'processing' | 'on_hold' | 'closed' | 'cancelled';
type StepStatus = 'pending' | 'in_progress' | 'completed' | 'blocked';
type WaitingOn = 'staff' | 'client' | 'iso' | 'authority' | 'other';
type Country = 'US' | 'AE' | 'JP' | 'SG' | 'TH';
interface Named {
  id: string;
  name: string;
}
interface Amount {
  currency: string;
  amount: string;
}
interface Progress {
  completed: number;
  total: number;
  percent: number;
}
interface Representative {
  name: string;
  email: string | null;
  phone: string | null;
}
interface Me {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  role: Role;
  status: string;
  language: 'en-US' | 'en-GB' | 'es';
  time_zone: string;
  company: Named | null;
  iso: Named | null;
  must_change_password: boolean;
  can: string[];
}
interface Settings {
  brand_name: string;
  demo: boolean;
  support_email: string | null;
  support_phone: string | null;
  representative: Representative | null;
  pages: { pricing: string | null; careers: string | null; privacy: string | null };
  sign_in_providers: string[];
}
interface Client {
  id: string;
  user_id: string;
  role: Role;
  first_name: string;
  last_name: string;
  email: string;
  phone: string | null;
  address: string | null;
  company_id: string | null;
  company_name: string | null;
  iso_id: string | null;
  iso_name: string | null;
  status: 'pending' | 'active' | 'suspended' | 'archived';
  created_at: string;
  version: number;
  can: string[];
}
interface NewClient {
  setup: 'quick' | 'full';
  first_name: string;
  last_name: string;
  email: string;
  phone?: string | null;
  address?: string | null;
  company_id: string;
  iso_id: string | null;
  country?: Country;
  currency?: string;
  price: string;
  commission?: string;
  ordered_date?: string;
}
interface ClientChange {
  first_name?: string;
  last_name?: string;
  phone?: string | null;
  address?: string | null;
  company_id?: string;
  iso_id?: string | null;
}
interface Company {
  id: string;
  name: string;
  business_name: string;
  email: string | null;
  phone: string | null;
  logo_url: string | null;
  domain: string | null;
  archived_at: string | null;
  created_at: string;
  version: number;
  can: string[];
}
interface Depends {
  clients: number;
  isos: number;
  spvs: number;
  users: number;
}
interface CompanyDetail extends Company {
  depends: Depends;
}
interface NewCompany {
  name: string;
  business_name: string;
  email?: string | null;
  phone?: string | null;
  logo_url?: string | null;
}
interface Iso {
  id: string;
  user_id: string;
  first_name: string;
  last_name: string;
  email: string;
  phone: string | null;
  company_id: string;
  company_name: string;
  archived_at: string | null;
  created_at: string;
  version: number;
  can: string[];
}
interface IsoDetail extends Iso {
  depends: Depends;
}
interface NewIso {
  first_name: string;
  last_name: string;
  email: string;
  phone?: string | null;
  company_id: string;
}
interface Spv {
  id: string;
  order_number: string;
  identifier: string;
  custom_identifier: string | null;
  client_id: string;
  client_name: string;
  client_email: string;
  client_status: string;
  company_id: string;
  company_name: string;
  iso_id: string | null;
  iso_name: string | null;
  country: Country;
  currency: string;
  price: string | null;
  commission: string | null;
  purchase_amount: string | null;
  amount: string | null;
  iso_commission_percentage: string | null;
  iso_commission: string | null;
  status: SpvStatus;
  status_reason: string | null;
  ordered_date: string;
  created_at: string;
  closed_at: string | null;
  progress: Progress;
  current_step: string | null;
  version: number;
  can: string[];
}
interface SpvDetail extends Spv {
  steps: Step[];
}
interface NewSpv {
  client_id: string;
  company_id: string;
  iso_id: string | null;
  custom_identifier?: string;
  purchase_amount: string;
  currency?: string;
  iso_commission_percentage?: string;
  country?: Country;
  ordered_date?: string;
}
interface Step {
  id: string;
  spv_id: string;
  step_order: number;
  step_name: string;
  status: StepStatus;
  owner: 'staff' | 'client' | 'iso' | 'authority';
  text_data: string | null;
  document_url: string | null;
  completed_at: string | null;
  due_date: string | null;
  blocked_reason: string | null;
  waiting_on: WaitingOn | null;
  version: number;
  can: string[];
}
interface StepChange {
  status?: StepStatus;
  text_data?: string | null;
  document_url?: string | null;
  blocked_reason?: string | null;
  waiting_on?: WaitingOn | null;
  reason?: string;
}
interface StepChanged extends Step {
  spv: Pick<Spv, 'id' | 'status' | 'version' | 'progress' | 'current_step' | 'can'>;
}
interface Activity {
  id: string;
  seq: number;
  at: string;
  action: string;
  actor: { kind: string; name: string };
  subject: { kind: string; id: string | null; label: string };
  spv_id: string | null;
  data: Record<string, unknown>;
}
interface ClientDashboard {
  processing: number;
  pending: number;
  completed: number;
  spvs: Spv[];
  activity: Activity[];
  representative: Representative | null;
}
interface EmployeeDashboard {
  total_clients: number;
  active_spvs: number;
  pending_reviews: number;
  revenue: string;
  currency: string;
  revenue_by_currency: Amount[];
  activity: Activity[];
}
interface IsoDashboard {
  active_clients: number;
  monthly_commissions: string;
  currency: string;
  commissions_by_currency: Amount[];
  pending_leads: number;
  completed_spvs: number;
  clients: { client: Client; spvs: number; latest: Activity | null }[];
}
interface CompanyDashboard {
  company: Named | null;
  companies: Named[];
  total_spvs: number;
  active_clients: number;
  total_revenue: string;
  currency: string;
  revenue_by_currency: Amount[];
  iso_partners: number;
  partners: { iso_id: string | null; name: string | null; spvs: number }[];
  items: Spv[];
  next_cursor: string | null;
}
interface AdminUser {
  id: string;
  first_name: string;
  last_name: string;
  email: string;
  role: Role;
  status: string;
  last_sign_in_at: string | null;
}
interface AdminDashboard {
  users: number;
  uptime_percent: number | null;
  sessions: number;
  storage_bytes: number | null;
  storage_quota_bytes: number | null;
  items: AdminUser[];
  next_cursor: string | null;
}
interface FieldError {
  field: string;
  code: string;
  params?: Record<string, unknown>;
  message: string;
}
interface ErrorBody {
  code: string;
  message: string;
  params?: Record<string, unknown>;
  fields?: FieldError[];
  request_id: string;
}
interface Page<Row> {
  items: Row[];
  next_cursor: string | null;
  total?: number | null;
}

export interface components {
  schemas: {
    Activity: Activity;
    AdminDashboard: AdminDashboard;
    AdminUser: AdminUser;
    Client: Client;
    ClientChange: ClientChange;
    ClientDashboard: ClientDashboard;
    Company: Company;
    CompanyDashboard: CompanyDashboard;
    CompanyDetail: CompanyDetail;
    Depends: Depends;
    EmployeeDashboard: EmployeeDashboard;
    ErrorBody: ErrorBody;
    Iso: Iso;
    IsoDashboard: IsoDashboard;
    Me: Me;
    NewClient: NewClient;
    NewCompany: NewCompany;
    NewIso: NewIso;
    NewSpv: NewSpv;
    Representative: Representative;
    Settings: Settings;
    Spv: Spv;
    SpvDetail: SpvDetail;
    Step: Step;
    StepChange: StepChange;
    StepChanged: StepChanged;
  };
}

interface Answer<Status extends number, Body> {
  responses: Record<Status, { headers: Record<string, unknown>; content: { 'application/json': Body } }> & {
    default: { headers: Record<string, unknown>; content: { 'application/json': ErrorBody } };
  };
}
interface Query<Q> {
  parameters: { query?: Q; header?: never; path?: never; cookie?: never };
}
interface ById<Q = never> {
  parameters: { query?: Q; header?: { 'If-Match'?: string }; path: { id: string }; cookie?: never };
}
interface Keyed {
  parameters: { query?: never; header?: { 'Idempotency-Key'?: string }; path?: never; cookie?: never };
}
interface Sends<Body> {
  requestBody: { content: { 'application/json': Body } };
}
interface List {
  q?: string;
  limit?: number;
  cursor?: string;
}
type Act<Row, Body = Record<string, never>> = { post: ById & Sends<Body> & Answer<200, Row> };

export interface paths {
  '/rest/v1/me': { get: Query<never> & Answer<200, Me>; patch: Query<never> & Sends<{ language?: Me['language']; time_zone?: string }> & Answer<200, Me> };
  '/rest/v1/settings': { get: Query<never> & Answer<200, Settings> };
  '/rest/v1/clients': {
    get: Query<List & { status?: string; company_id?: string; iso_id?: string }> & Answer<200, Page<Client>>;
    post: Keyed & Sends<NewClient> & Answer<201, { client: Client; spv: Spv }>;
  };
  '/rest/v1/clients/{id}': { get: ById & Answer<200, Client>; patch: ById & Sends<ClientChange> & Answer<200, Client> };
  '/rest/v1/clients/{id}/invite': Act<Client>;
  '/rest/v1/clients/{id}/suspend': Act<Client>;
  '/rest/v1/clients/{id}/restore': Act<Client>;
  '/rest/v1/clients/{id}/archive': Act<Client>;
  '/rest/v1/companies': {
    get: Query<List & { archived?: boolean }> & Answer<200, Page<Company>>;
    post: Keyed & Sends<NewCompany> & Answer<201, Company>;
  };
  '/rest/v1/companies/{id}': {
    get: ById & Answer<200, CompanyDetail>;
    patch: ById & Sends<Partial<NewCompany>> & Answer<200, Company>;
    delete: ById & Answer<204, never>;
  };
  '/rest/v1/companies/{id}/archive': Act<Company>;
  '/rest/v1/companies/{id}/restore': Act<Company>;
  '/rest/v1/isos': {
    get: Query<List & { archived?: boolean; company_id?: string }> & Answer<200, Page<Iso>>;
    post: Keyed & Sends<NewIso> & Answer<201, Iso>;
  };
  '/rest/v1/isos/{id}': { get: ById & Answer<200, IsoDetail>; delete: ById & Answer<204, never> };
  '/rest/v1/isos/{id}/archive': Act<Iso>;
  '/rest/v1/isos/{id}/restore': Act<Iso>;
  '/rest/v1/spvs': {
    get: Query<List & { status?: string; company_id?: string; iso_id?: string; client_id?: string }> & Answer<200, Page<Spv>>;
    post: Keyed & Sends<NewSpv> & Answer<201, SpvDetail>;
  };
  '/rest/v1/spvs/{id}': { get: ById & Answer<200, SpvDetail> };
  '/rest/v1/spvs/{id}/start': Act<SpvDetail>;
  '/rest/v1/spvs/{id}/resume': Act<SpvDetail>;
  '/rest/v1/spvs/{id}/hold': Act<SpvDetail, { reason: string }>;
  '/rest/v1/spvs/{id}/cancel': Act<SpvDetail, { reason: string }>;
  '/rest/v1/spvs/{id}/reopen': Act<SpvDetail, { reason: string }>;
  '/rest/v1/steps/{id}': { patch: ById & Sends<StepChange> & Answer<200, StepChanged> };
  '/rest/v1/activity': { get: Query<List & { subject_kind?: string; subject_id?: string; spv_id?: string }> & Answer<200, Page<Activity>> };
  '/rest/v1/dashboards/client': { get: Query<never> & Answer<200, ClientDashboard> };
  '/rest/v1/dashboards/employee': { get: Query<never> & Answer<200, EmployeeDashboard> };
  '/rest/v1/dashboards/iso': { get: Query<never> & Answer<200, IsoDashboard> };
  '/rest/v1/dashboards/company': { get: Query<{ company_id?: string; limit?: number; cursor?: string }> & Answer<200, CompanyDashboard> };
  '/rest/v1/dashboards/admin': { get: Query<{ limit?: number; cursor?: string }> & Answer<200, AdminDashboard> };
  '/rest/v1/jobs': { post: Keyed & Sends<{ name: 'seed' }> & Answer<202, { id: string }> };
  '/rest/v1/requests': {
    post: Keyed & Sends<{ kind: 'support' | 'account'; account_type?: 'client' | 'employee' | 'iso' | 'company'; name: string; email: string; message: string }> & Answer<201, { id: string; reference: string }>;
  };
}
