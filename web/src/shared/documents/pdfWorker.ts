/** pdf.js's worker, which also tells the page when it leaves something out: pdf.js writes that on the console only. */
import 'pdfjs-dist/build/pdf.worker.mjs';
import { isLoss } from './pdfWarnings';

export interface Loss {
  loss: string;
}

const warn = console.warn;
console.warn = (...words: unknown[]) => {
  warn(...words);
  const warning = String(words[0]);
  if (isLoss(warning)) postMessage({ loss: warning } satisfies Loss);
};
