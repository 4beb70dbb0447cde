import errors from '@catalogue/en/errors.json?first';
import common from './common.json';
import signIn from './public.json';

/** Messages of the sign-in pages, and of every page behind the landing page. */
export const messages = { errors, common, public: signIn };
