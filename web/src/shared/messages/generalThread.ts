/** What the address calls the client's general conversation, which is there before its first message. */
export const GENERAL_THREAD = 'support';
