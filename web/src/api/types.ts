import type { components } from './schema';

type Schemas = components['schemas'];

export type Activity = Schemas['Activity'];
export type AdminUser = Schemas['AdminUser'];
export type ApplicationForm = Schemas['ApplicationForm'];
export type Client = Schemas['Client'];
export type ClientChange = Schemas['ClientChange'];
export type Company = Schemas['Company'];
export type EmployeeDashboard = Schemas['EmployeeDashboard'];
export type CompanyDashboard = Schemas['CompanyDashboard'];
export type Depends = Schemas['Depends'];
export type ErrorBody = Schemas['ErrorBody'];
export type Iso = Schemas['Iso'];
export type IsoDashboard = Schemas['IsoDashboard'];
export type Me = Schemas['Me'];
export type NewClient = Schemas['NewClient'];
export type NewCompany = Schemas['NewCompany'];
export type NewIso = Schemas['NewIso'];
export type NewSpv = Schemas['NewSpv'];
export type Representative = Schemas['Representative'];
export type Role = Me['role'];
export type SignIn = Schemas['SignIn'];
export type Settings = Schemas['Settings'];
export type Spv = Schemas['Spv'];
export type SpvDetail = Schemas['SpvDetail'];
export type Step = Schemas['Step'];
export type StepChange = Schemas['StepChange'];
