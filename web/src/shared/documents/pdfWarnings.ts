/**
 * pdf.js warnings that mean missing content. pdf.js draws the rest and logs these to the console only; repaired or
 * invisible issues are excluded.
 */
const CONTENT_LOSS_WARNINGS = [
  'Unable to decode image',
  'Image dimensions are missing',
  'Image exceeded maximum allowed size',
  'ignoring the rest of the image data',
  'decodeScan - ',
  'Unsupported /SMask format',
  'Unsupported /Mask format',
  'Filter ".*" is not supported',
  'Invalid stream: ',
  'getContentStream - ignoring',
  'getOperatorList - ignoring (XObject|Shading|errors|annotation data|operator)',
  'handleTilingType - ignoring',
  'parseShading - ignoring',
  '_handleColorSpace - ignoring',
  'Unrecognized ColorSpace',
  'Unimplemented ColorSpace',
  'ensureStateFont',
  'loadFont - ',
  'Font ".*" is not available',
  'translateFont - ',
  'buildFontPaths - ignoring',
  'Type3 (font resource|character) ".*" is not available',
  'Font file is empty',
  'Cannot substitute the font',
  'Invalid cMap data',
  'Failed to fetch',
  'Unable to load (CMap|font|wasm) data',
  'JpxImage#getJsModule',
].map((start) => new RegExp(start));

export function isContentLoss(warning: string): boolean {
  return CONTENT_LOSS_WARNINGS.some((loss) => loss.test(warning));
}
