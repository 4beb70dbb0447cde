/** Text for comparison without case and accents. */
export function normalizeForSearch(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase();
}
