/** pdf.js worker that reports missing content to the page. */
import 'pdfjs-dist/build/pdf.worker.mjs';
import { isContentLoss } from './pdfWarnings';

export interface ContentLossMessage {
  loss: string;
}

const warn = console.warn;
console.warn = (...words: unknown[]) => {
  warn(...words);
  const warning = String(words[0]);
  if (isContentLoss(warning)) postMessage({ loss: warning } satisfies ContentLossMessage);
};
