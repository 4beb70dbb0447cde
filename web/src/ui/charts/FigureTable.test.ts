import { expect, test } from 'vitest';
import { csvCell } from './FigureTable';

test('csv cells never run as formulas, wherever a spreadsheet splits', () => {
  for (const [cell, written] of [
    ['=1+2', "'=1+2"],
    ['x;=1+2;y', "x;'=1+2;y"],
    ['x; "+1"', '"x; ""\'+1"""'],
    ['x|@sum', "x|'@sum"],
    ['x\n-2+1', '"x\n\'-2+1"'],
    ['\tx', "'\tx"],
    ['-2.50', '-2.50'],
    ['1;-2.50', '1;-2.50'],
    ['a=b; c+d', 'a=b; c+d'],
    [-2.5, '-2.5'],
    [null, ''],
  ] as const) {
    expect(csvCell(cell), String(cell)).toBe(written);
  }
});
