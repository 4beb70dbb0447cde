/** Keys of the steps of an order, for the sheet of keys. Names are those of the messages. */
export const stepShortcuts = [
  { keys: ['J'], name: 'next' },
  { keys: ['K'], name: 'previous' },
  { keys: ['C'], name: 'complete' },
  { keys: ['A'], name: 'assign' },
  { keys: ['E'], name: 'edit' },
  { keys: ['X'], name: 'select' },
  { keys: ['Shift', 'X'], name: 'select_range' },
] as const;
