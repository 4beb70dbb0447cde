import { expect, test } from 'vitest';
import { isContentLoss } from './pdfWarnings';

test('content-loss warnings are distinguished from repaired ones', () => {
  for (const warning of [
    'Warning: Unable to decode image "img_p0_1": "JpxError: OpenJPEG failed to initialize".',
    'Warning: loadFont - translateFont failed: "Error: Ensure that the `cMapUrl` API parameter is provided.".',
    'Warning: Error: Failed to fetch file "/assets/x/FoxitDingbats.pfb" with "Not Found".',
    'Warning: getOperatorList - ignoring XObject: "FormatError: Unhandled XObject subtype PS".',
    'Warning: Filter "JBIG3Decode" is not supported.',
  ]) {
    expect(isContentLoss(warning), warning).toBe(true);
  }
  for (const warning of [
    'Warning: Indexing all PDF objects',
    'Warning: TT: undefined function: 32',
    'Warning: Jbig2Stream: Falling back to JS JBIG2 decoder.',
    'Warning: Empty "FlateDecode" stream.',
    'Warning: getOperatorList - ignoring ExtGState: "x".',
    'Warning: Not enough parameters for rmoveto; actual: 1, expected: 2',
  ]) {
    expect(isContentLoss(warning), warning).toBe(false);
  }
});
