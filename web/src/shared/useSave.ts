import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../api/cache';
import { ApiError, errorText, fieldErrors } from '../api/errors';
import { affectedNouns, type Noun } from '../api/events';
import { focusFirstError } from './focusFirstError';
import { newIdempotencyKey } from './idempotencyKey';
import { withReauthentication } from './security/reauthentication';
import { toast } from '../ui/toasts';

interface Form {
  setErrors: (errors: Record<string, string>) => void;
}

interface Options<Input, Result> {
  /** `key`: idempotency key, stable while a retry could duplicate. */
  save: (input: Input, key: string) => Promise<Result>;
  onSaved: (result: Result) => void;
  /** Nouns to invalidate immediately: events come later or not at all. */
  invalidates?: Noun | Noun[];
  /** Mutations of one scope run one after the other. */
  scope?: { id: string };
  /** Form for field errors. */
  form?: Form;
  /** Handles an error in the form; returns whether it did. */
  explain?: (error: ApiError) => boolean;
}

/** Mutation with standard error handling: field errors and a toast. */
export function useSave<Input, Result>({
  save,
  onSaved,
  invalidates = [],
  scope,
  form,
  explain,
}: Options<Input, Result>) {
  const { t } = useTranslation('common');
  const key = useRef(newIdempotencyKey());
  return useMutation({
    scope,
    // Power over accounts and money needs a recent proof, which is asked for in place.
    mutationFn: (input: Input) => withReauthentication(() => save(input, key.current)),
    onMutate: () => document.activeElement,
    onSuccess: (result) => {
      key.current = newIdempotencyKey();
      onSaved(result);
      for (const noun of new Set([invalidates].flat().flatMap(affectedNouns)))
        void queryClient.invalidateQueries({ queryKey: [noun] });
    },
    onError: (error, _input, from) => {
      // The server rejected it without creating anything, so the next attempt gets a new idempotency key.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500)
        key.current = newIdempotencyKey();
      const show = () => {
        const explained = error instanceof ApiError && explain?.(error);
        if (!explained) form?.setErrors(fieldErrors(error));
      };
      if (form) focusFirstError(show, from);
      else show();
      const missing = error instanceof ApiError && error.fields.some((field) => field.code === 'required');
      toast({
        title: missing ? t('missing.title') : t('error'),
        description: missing ? t('missing.text') : errorText(error),
        destructive: true,
      });
    },
  });
}

/** For the failure of `onSubmit`: a required field is empty. */
export function useRequiredFieldsMessage(): () => void {
  const { t } = useTranslation('common');
  return () => {
    toast({ title: t('missing.title'), description: t('missing.text'), destructive: true });
    focusFirstError();
  };
}
