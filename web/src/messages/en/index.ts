import errors from '@catalogue/en/errors.json';
import names from '@catalogue/en/names.json';
import common from './common.json';
import publicPages from './public.json';

/** Messages of every page behind the landing page. */
export const messages = { errors, names, common, public: publicPages };
