/** PDF fixtures: one page of 300 x 200 points. */

/** Builds a PDF from objects numbered from 1; the first is the catalog. */
function buildPdf(objects: string[]): Buffer {
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const start = text.length;
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

const stream = (dictionary: string, content: string) =>
  `<< ${dictionary} /Length ${content.length} >>\nstream\n${content}\nendstream`;

/** A page with this content and resources; referenced objects start at 5. */
export function page(content: string, resources: string, ...objects: string[]): Buffer {
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\("run"\\)) >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << ${resources} >> >>`,
    stream('', content),
    ...objects,
  ]);
}

const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} >>`;

/** Text, and a script that would open a dialog. */
export const pdf = (sentence: string) =>
  page(`BT /F 18 Tf 20 100 Td (${sentence}) Tj ET`, '/Font << /F 5 0 R >>', font('Helvetica'));

/** One large letter in a standard font that is not embedded. */
export const letterPdf = (name: string, letter: string) =>
  page(`BT /F 120 Tf 40 50 Td (${letter}) Tj ET`, '/Font << /F 5 0 R >>', font(name));

/** Japanese text in a font that is not embedded, which needs a CMap. */
export const cjkPdf = page(
  'BT /F 60 Tf 30 80 Td <65E5672C8A9E> Tj ET',
  '/Font << /F 5 0 R >>',
  '<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-H /DescendantFonts [6 0 R] >>',
  `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /DW 1000 /FontDescriptor 7 0 R
    /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>`,
  `<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 6 /FontBBox [-123 -257 1001 910] /ItalicAngle 0
    /Ascent 723 /Descent -241 /CapHeight 709 /StemV 69 >>`,
);

/** Blue, 8 x 8 pixels. */
const jpeg2000 = Buffer.from(
  'AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAACAAAAAgAAwcHAAAAAAAPY29scgEAAAAAABAAAACganAy' +
    'Y/9P/1EALwAAAAAACAAAAAgAAAAAAAAAAAAAAAgAAAAIAAAAAAAAAAAAAwcBAQcBAQcBAf9SAAwAAAABAAAEBAAB/1wABEBA/2QAJQABQ3JlYXRl' +
    'ZCBieSBPcGVuSlBFRyB2ZXJzaW9uIDIuNS40/5AACgAAAAAAKAAB/5PPgGARUFSvgj3PgGARUFSig1bH0hQUAFyjb//Z',
  'base64',
).toString('latin1');

const picture = (content: string) =>
  page(
    'q 200 0 0 100 50 50 cm /I Do Q',
    '/XObject << /I 5 0 R >>',
    stream(
      '/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /JPXDecode',
      content,
    ),
  );

/** A JPEG 2000 image, and a corrupt one. */
export const jpxPdf = picture(jpeg2000);
export const brokenJpxPdf = picture(jpeg2000.slice(0, 120));
