/** URL key of the general conversation, which exists before its first message. */
export const GENERAL_THREAD = 'support';
