/** Documents: request, upload, review, versions, resumable uploads and rejected files. */
import { writeFile } from 'node:fs/promises';
import { devices } from '@playwright/test';
import { paths } from '../src/paths';
import type { TestServer } from './support/server';
import { pdf } from './support/pdf';
import type { Person } from './support/users';
import { escapeRegExp } from './support/users';
import { password } from './support/portal';
import { expect, test } from './support/fixtures';

const phone = devices['Pixel 7'];

interface Upload {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

function file(name: string, content: string | Buffer, mimeType = 'application/octet-stream'): Upload {
  return { name, mimeType, buffer: Buffer.from(content) };
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

async function choose(person: Person, area: string, files: Upload | Upload[]): Promise<void> {
  const group = person.page.getByRole('group', { name: area, exact: true });
  await group.locator('input[type="file"]').first().setInputFiles(files);
}

/** Waits for the upload toast and returns the reference of the document. */
async function uploadDocument(person: Person, name: string, path?: string): Promise<string> {
  const toast = person.page
    .getByRole('region', { name: 'Notifications' })
    .getByRole('status')
    .filter({ hasText: 'File uploaded' })
    .filter({ hasText: name });
  await expect(toast).toBeVisible({ timeout: 30_000 });
  const reference = /DOC-[0-9a-f]{8}/.exec((await toast.textContent()) ?? '')?.[0] ?? '';
  expect(reference).not.toBe('');
  if (path) await person.expectPath(path);
  return reference;
}

async function clientAndOrder(office: TestServer, first: string, last: string) {
  const who = office.newPerson(first, last);
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  return { who, spv };
}

test('document request is mailed, submitted, returned, resubmitted and approved, which completes its step @postgres', async ({
  office,
}) => {
  const { who, spv } = await clientAndOrder(office, 'Paloma', 'Reyes');
  const elias = await office.employee();
  const { steps } = await elias.api.get<{ steps: { id: string; step_name: string }[] }>(
    `/rest/v1/spvs/${spv.id}`,
  );
  const step = steps[0] ?? { id: '', step_name: '' };
  // The step completes by itself once its requested document is approved.
  await elias.api.patch(`/rest/v1/steps/${step.id}`, {
    completes_with_documents: true,
    status: 'in_progress',
  });
  await elias.open(paths.employeeOrderTab(spv.id, 'documents'));
  await elias.button('Request document').click();
  const dialog = elias.dialog('Request document');
  await elias.button('Send request', dialog).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await elias.fillFields({ Document: 'Passport copy', Instructions: 'Both pages, please' }, dialog);
  await elias.choose('Step', `1. ${step.step_name}`, dialog);
  await elias.button('Send request', dialog).click();
  await elias.expectToast('Document requested', 'Passport copy');

  const mail = await office.portal.post.waitForMail(who.email, 'Document needed');
  expect(mail.text).toContain('Passport copy');
  expect(mail.text).not.toMatch(/1,?250|Both pages/);

  const paloma = await office.visitor(phone);
  // The link survives signing in.
  await paloma.open(mail.link(`/client-dashboard/orders/${spv.id}`));
  await paloma.page.getByRole('radio', { name: 'Clients', exact: true }).check();
  await paloma.button('Continue', paloma.page.getByRole('dialog')).click();
  await paloma.submitSignIn(who.email, password);
  const asked = paloma.page.getByRole('list', { name: 'Requested documents' }).locator('> li');
  await expect(asked).toContainText('Requested');
  await expect(asked).toContainText('Both pages, please');
  // The button opens the chooser at once.
  const chooser = paloma.page.waitForEvent('filechooser');
  await paloma.button('Upload Passport copy').click();
  await chooser;
  const place = paloma.page.getByRole('group', { name: 'Upload Passport copy', exact: true });
  await expect(paloma.button('Take a photo', place)).toBeVisible();
  await choose(paloma, 'Upload Passport copy', file('../passport "scan".pdf', pdf('First try')));
  await uploadDocument(paloma, 'passport _scan_.pdf', `/client-dashboard/orders/${spv.id}`);
  await expect(asked).toContainText('Submitted');
  await expect(asked).toContainText('passport _scan_.pdf');
  await expect(asked).toContainText('Sent. We usually review within one business day.');

  // Staff see the upload live, preview it and return it.
  await elias.withoutReload(async () => {
    const row = elias.page.getByRole('list', { name: 'Requested documents' }).locator('> li');
    await expect(row).toContainText('Submitted');
    await elias.button('Preview passport _scan_.pdf, version 1', row).click();
    const preview = elias.dialog('passport _scan_.pdf');
    await expect(preview.getByRole('img', { name: 'passport _scan_.pdf, page 1 of 1' })).toBeVisible();
    await elias.button('Close', preview).click();
    await elias.button('Return Passport copy').click();
    const why = elias.dialog('Return Passport copy');
    await elias.button('Return', why).click();
    await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
    await elias.fillFields({ Reason: 'The second page is cut off' }, why);
    await elias.button('Return', why).click();
    await elias.expectToast('Document returned', 'Passport copy');
  });
  const back = await office.portal.post.waitForMail(who.email, '“Passport copy” needs an update');
  expect(back.text).toContain('The second page is cut off');

  await paloma.withoutReload(async () => {
    await expect(asked).toContainText('Needs revision');
    await expect(asked).toContainText('Reason: The second page is cut off');
    await expect(paloma.button('Upload new version of Passport copy')).toBeVisible();
    await choose(paloma, 'Upload Passport copy', file('passport.pdf', pdf('Second try')));
    await uploadDocument(paloma, 'passport.pdf', `/client-dashboard/orders/${spv.id}`);
    await expect(asked).toContainText('Version 2');
    await expect(asked).toContainText('Submitted');
  });
  const done = paloma.page
    .getByRole('listitem')
    .filter({ hasText: step.step_name })
    .filter({ hasText: 'Completed' });
  await expect(done).toHaveCount(0);
  const olga = await office.employee();
  await olga.open(paths.employeeDocuments);
  await olga.link('Awaiting review').click();
  const submitted = olga.page
    .getByRole('row')
    .filter({ hasText: 'Passport copy' })
    .filter({ hasText: who.name });
  await expect(submitted).toBeVisible();

  // No longer a task.
  const closed = paloma.page.getByRole('list', { name: 'Closed requests' }).locator('> li');
  await paloma.withoutReload(async () => {
    await elias.button('Approve Passport copy').click();
    await elias.expectToast('Document approved', 'Passport copy');
    await expect(closed).toContainText('Approved');
    await expect(asked).toHaveCount(0);
    await expect(submitted).toHaveCount(0);
    await expect(done.first()).toBeVisible();
    await expect(paloma.page.getByRole('button', { name: /^Upload .*Passport copy$/ })).toHaveCount(0);
  });

  // A waived request shows its reason to the client.
  await elias.api.post(`/rest/v1/spvs/${spv.id}/document-requests`, { name: 'Proof of address' });
  await elias.button('Waive Proof of address').click();
  const waiving = elias.dialog('Waive Proof of address');
  await elias.fillFields({ Reason: 'The passport is enough' }, waiving);
  await elias.button('Waive', waiving).click();
  await elias.expectToast('Document waived', 'Proof of address');
  const waived = closed.filter({ hasText: 'Proof of address' });
  await expect(waived).toContainText('Waived');
  await expect(waived).toContainText('Reason: The passport is enough');
});

test('document library can be searched, shows versions, and restores an older version', async ({
  office,
}) => {
  const { who, spv } = await clientAndOrder(office, 'Teodora', 'Lind');
  const teodora = await office.person(who.email);
  await teodora.open(`/client-dashboard/orders/${spv.id}`);
  await choose(teodora, `Upload documents for ${spv.identifier}`, [
    file('Deed of trust.pdf', pdf('Deed')),
    file('photo.png', png, 'image/png'),
    file('holiday.png', '<!DOCTYPE html><script>document.title = "run"</script>', 'image/png'),
  ]);
  await teodora.expectToast('3 files uploaded');
  await teodora.expectPath(`/client-dashboard/orders/${spv.id}`);
  const table = `Documents of ${spv.identifier}`;
  for (const name of ['Deed of trust.pdf', 'photo.png', 'holiday.png']) {
    await expect(teodora.row(name, table)).toBeVisible();
  }
  // The media type is sniffed: HTML with a PDF name is not previewed.
  await expect(teodora.row('holiday.png', table)).toContainText('Web page');
  await expect(teodora.row('holiday.png', table).getByRole('button', { name: /^Preview/ })).toHaveCount(0);
  await teodora.button('Preview photo.png, version 1').click();
  const picture = teodora.dialog('photo.png').getByRole('img', { name: 'photo.png' });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await teodora.button('Close', teodora.dialog('photo.png')).click();
  // A failed preview is retried with a new signed link.
  teodora.allowError(/Failed to load resource|503 from/);
  await teodora.page.route('**/storage/v1/files?*', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await teodora.button('Preview Deed of trust.pdf, version 1').click();
  const paper = teodora.dialog('Deed of trust.pdf');
  await teodora.button('Try again', paper).click();
  await expect(paper.getByRole('img', { name: 'Deed of trust.pdf, page 1 of 1' })).toBeVisible();
  await teodora.button('Close', paper).click();
  const saved = teodora.page.waitForEvent('download');
  await teodora.button('Download Deed of trust.pdf, version 1').click();
  expect((await saved).suggestedFilename()).toBe('Deed of trust.pdf');

  await teodora.open('/client-dashboard');
  const recent = teodora.card('Recent Documents');
  await expect(recent.getByRole('listitem')).toHaveCount(3);
  await expect(teodora.link('Deed of trust.pdf', recent)).toBeVisible();
  await teodora.link('View all documents', recent).click();
  await teodora.expectPath('/client-dashboard/documents');
  await teodora.search('Search documents', 'trust');
  await expect(teodora.row('Deed of trust.pdf')).toContainText(spv.identifier);
  await expect(teodora.row('photo.png')).toHaveCount(0);
  await teodora.link('Deed of trust.pdf').click();
  await choose(teodora, 'Upload new version', file('Deed signed.pdf', pdf('Signed')));
  const reference = await uploadDocument(teodora, 'Deed signed.pdf');
  await expect(teodora.row('Deed signed.pdf', 'Versions')).toContainText(who.name);
  await expect(teodora.card('About this document')).toContainText(/[0-9a-f]{64}/);
  await expect(teodora.page.getByRole('button', { name: /^Restore/ })).toHaveCount(0);

  const elias = await office.employee();
  await elias.open('/employee-dashboard/documents');
  await elias.search('Search documents', reference);
  await expect(elias.row('Deed of trust.pdf')).toHaveCount(1);
  await elias.search('Search documents', `${who.last} deed`);
  await elias.row('Deed of trust.pdf').getByRole('link', { name: 'Deed of trust.pdf' }).click();
  await elias.button('Restore version 1').click();
  await elias.button('Restore', elias.dialog('Restore version 1?')).click();
  await elias.expectToast('Version restored', 'Version 1 is now the latest.');
  await expect(elias.row('from version 1', 'Versions')).toContainText('Deed of trust.pdf');
  await expect(teodora.row('from version 1', 'Versions')).toBeVisible();
});

test('upload survives a lost connection, and a cancelled upload leaves nothing @postgres', async ({
  office,
}) => {
  const { who, spv } = await clientAndOrder(office, 'Bastian', 'Kroll');
  const bastian = await office.person(who.email);
  bastian.allowError(/net::ERR_|Failed to load resource/);
  await bastian.open(`/client-dashboard/orders/${spv.id}`);
  const area = `Upload documents for ${spv.identifier}`;
  const uploads = bastian.page.getByRole('list', { name: 'Uploads' });
  // Chunks are 512 KiB; the connection drops after the first.
  let pieces = 0;
  await bastian.page.route('**/storage/v1/uploads/*', async (route) => {
    if (route.request().method() === 'PATCH') {
      pieces += 1;
      if (pieces === 2) {
        await bastian.page.context().setOffline(true);
        return route.abort('internetdisconnected');
      }
    }
    return route.continue();
  });
  await choose(
    bastian,
    area,
    file('binder.pdf', Buffer.concat([pdf('Binder'), Buffer.alloc(11_000_000, 65)])),
  );
  await expect(uploads).toContainText('Waiting for connection. Upload will resume.', {
    timeout: 20_000,
  });
  await bastian.page.context().setOffline(false);
  await uploadDocument(bastian, 'binder.pdf');
  // The first chunk is not resent, and no chunk exceeds the nginx default limit.
  expect(pieces).toBeLessThanOrEqual(24);
  expect(pieces).toBeGreaterThanOrEqual(21);
  await expect(bastian.row('binder.pdf', `Documents of ${spv.identifier}`)).toContainText('11');

  // The next upload hangs and is cancelled.
  await bastian.page.unroute('**/storage/v1/uploads/*');
  await bastian.page.route('**/storage/v1/uploads/*', (route) =>
    route.request().method() === 'PATCH' ? new Promise<void>(() => undefined) : route.continue(),
  );
  const gone = bastian.page.waitForResponse(
    (response) => response.request().method() === 'DELETE' && response.url().includes('/storage/v1/uploads/'),
  );
  // Nothing to delete before the server created the upload.
  const hangs = bastian.page.waitForRequest(
    (request) => request.method() === 'PATCH' && request.url().includes('/storage/v1/uploads/'),
  );
  await choose(bastian, area, file('slow.pdf', pdf('Slow')));
  await hangs;
  await bastian.button('Cancel upload of slow.pdf').click();
  expect((await gone).status()).toBe(204);
  await expect(uploads.getByRole('listitem').filter({ hasText: 'slow.pdf' })).toHaveCount(0);
});

test('dropped file reports its progress to screen readers', async ({ office }) => {
  const { spv } = await clientAndOrder(office, 'Dagny', 'Holt');
  const elias = await office.employee();
  let arrive = () => undefined as void;
  const way = new Promise<void>((resolve) => (arrive = resolve));
  await elias.page.route('**/storage/v1/uploads/*', async (route) => {
    await way;
    return route.continue();
  });
  await elias.open(paths.employeeOrderTab(spv.id, 'documents'));
  const place = elias.page.getByRole('group', {
    name: `Upload documents for ${spv.identifier}`,
    exact: true,
  });
  // Dropping onto the button works too, because it is inside the drop zone.
  await elias.button('Choose files', place).drop({ files: file('dropped.pdf', pdf('Dropped')) });
  const upload = place.getByRole('list', { name: 'Uploads' }).getByRole('listitem');
  const bar = upload.getByRole('progressbar', { name: 'Upload of dropped.pdf', exact: true });
  await expect(bar).toHaveAttribute('aria-valuenow', /^\d+$/);
  arrive();
  await expect(upload.getByRole('status')).toContainText('Uploaded');
  await expect(bar).toHaveCount(0);
  await expect(elias.row('dropped.pdf', `Documents of ${spv.identifier}`)).toBeVisible();
});

test('empty and too large files are rejected with a message', async ({ office }, testInfo) => {
  const { who, spv } = await clientAndOrder(office, 'Ines', 'Falk');
  const ines = await office.person(who.email);
  await ines.open(`/client-dashboard/orders/${spv.id}#documents`);
  const uploads = ines.page.getByRole('list', { name: 'Uploads' }).getByRole('listitem');
  const area = `Upload documents for ${spv.identifier}`;
  await choose(ines, area, file('empty.pdf', ''));
  await expect(uploads.filter({ hasText: 'empty.pdf' })).toContainText('This file is empty.');
  // Read from disk: sending it through the browser protocol would dominate the run time.
  const large = testInfo.outputPath('large.pdf');
  await writeFile(large, Buffer.alloc(25 * 1024 * 1024 + 1));
  const group = ines.page.getByRole('group', { name: area, exact: true });
  await group.locator('input[type="file"]').first().setInputFiles(large);
  await expect(uploads.filter({ hasText: 'large.pdf' })).toContainText('The limit is 25 MB.');
  const long = `${'x'.repeat(300)}.pdf`;
  await choose(ines, area, [file(long, pdf('Long')), file('evil\u202efdp.exe', 'MZ\u0090\0\u0003\0\0\0')]);
  // An earlier rejection does not suppress the toast for these files.
  await ines.expectToast('2 files uploaded');
  const table = `Documents of ${spv.identifier}`;
  await expect(ines.row('evilfdp.exe', table)).toBeVisible();
  await expect(ines.row(new RegExp(`^.*${escapeRegExp('x'.repeat(100))}x*\\.pdf`), table)).toBeVisible();
});

test('rejected file among several keeps the client on the page with its reason', async ({ office }) => {
  const { who, spv } = await clientAndOrder(office, 'Noor', 'Vance');
  const noor = await office.person(who.email);
  const path = `/client-dashboard/orders/${spv.id}`;
  await noor.open(path);
  const uploads = noor.page.getByRole('list', { name: 'Uploads' }).getByRole('listitem');
  const area = `Upload documents for ${spv.identifier}`;
  // The rejection arrives before or after the other uploads.
  for (const [empty, ...names] of [
    ['empty.pdf', 'deed.pdf', 'lease.pdf'],
    ['nothing.pdf', 'plan.pdf'],
  ] as const) {
    const good = names.map((name) => file(name, pdf(name)));
    const bad = file(empty, '');
    await choose(noor, area, empty === 'empty.pdf' ? [bad, ...good] : [...good, bad]);
    for (const name of names) await expect(uploads.filter({ hasText: name })).toContainText('Uploaded');
    await expect(uploads.filter({ hasText: empty }).getByRole('status')).toHaveText('This file is empty.');
    for (const name of names) await expect(noor.row(name, `Documents of ${spv.identifier}`)).toBeVisible();
    await noor.expectPath(path);
  }
  // Or more files are chosen while others are uploading.
  const held: (() => void)[] = [];
  await noor.page.route('**/storage/v1/uploads/*', async (route) => {
    if (held.length < 2) await new Promise<void>((arrive) => void held.push(arrive));
    return route.continue();
  });
  await choose(noor, area, [file('void.pdf', ''), file('survey.pdf', pdf('Survey'))]);
  await expect(uploads.filter({ hasText: 'void.pdf' }).getByRole('status')).toHaveText('This file is empty.');
  await expect.poll(() => held.length).toBe(1);
  await choose(noor, area, file('permit.pdf', pdf('Permit')));
  await expect.poll(() => held.length).toBe(2);
  held[0]?.();
  await expect(uploads.filter({ hasText: 'survey.pdf' })).toContainText('Uploaded');
  held[1]?.();
  for (const name of ['survey.pdf', 'permit.pdf']) {
    await expect(noor.row(name, `Documents of ${spv.identifier}`)).toBeVisible();
  }
  await noor.expectPath(path);
  await choose(noor, area, file('annex.pdf', pdf('Annex')));
  await uploadDocument(noor, 'annex.pdf', path);
  // A later visit lists the documents without finished upload rows.
  await noor.link('Dashboard').click();
  await noor.expectPath('/client-dashboard');
  await expect(noor.heading('Welcome, Noor')).toBeVisible();
  await noor.page.goBack();
  await expect(noor.row('annex.pdf', `Documents of ${spv.identifier}`)).toBeVisible();
  await expect(uploads.filter({ hasText: 'Uploaded' })).toHaveCount(0);
});

test('upload interrupted by a reload resumes once the same file is chosen again', async ({
  office,
}, testInfo) => {
  const { who, spv } = await clientAndOrder(office, 'Edda', 'Storm');
  const edda = await office.person(who.email);
  edda.allowError(/net::ERR_|Failed to load resource|503 from/);
  const path = testInfo.outputPath('ledger.pdf');
  await writeFile(path, Buffer.concat([pdf('Ledger'), Buffer.alloc(11_000_000, 66)]));
  await edda.open(`/client-dashboard/orders/${spv.id}`);
  const group = edda.page.getByRole('group', { name: `Upload documents for ${spv.identifier}`, exact: true });
  const uploads = group.getByRole('list', { name: 'Uploads' });
  const starts: string[] = [];
  const pieces = '**/storage/v1/uploads/*';
  await edda.page.route(pieces, (route) => {
    const request = route.request();
    if (request.method() !== 'PATCH') return route.continue();
    starts.push(request.headers()['upload-offset'] ?? '');
    // The second chunk hangs until the page is closed.
    return starts.length === 2 ? new Promise<void>(() => undefined) : route.continue();
  });
  await group.locator('input[type="file"]').first().setInputFiles(path);
  await expect.poll(() => starts.length).toBe(2);
  await edda.page.reload();
  await expect(uploads).toContainText('Choose the same file again to resume.');
  await expect(uploads.getByRole('listitem')).toHaveCount(1);

  // A 503 on the offset request must not restart the upload.
  let asked = 0;
  const begun: string[] = [];
  await edda.page.route(pieces, (route) => {
    if (route.request().method() !== 'HEAD') return route.fallback();
    asked += 1;
    return asked === 1 ? route.fulfill({ status: 503 }) : route.fallback();
  });
  edda.page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/storage/v1/uploads'))
      begun.push(request.url());
  });
  await group.locator('input[type="file"]').first().setInputFiles(path);
  await uploadDocument(edda, 'ledger.pdf');
  expect(starts[0]).toBe('0');
  expect({ asked, begun }).toEqual({ asked: 2, begun: [] });
  expect(Number(starts[2]), 'what had arrived was not sent again').toBeGreaterThanOrEqual(512 * 1024);
  await expect(edda.row('ledger.pdf', `Documents of ${spv.identifier}`)).toContainText('11');
  await edda.page.reload();
  await expect(edda.row('ledger.pdf', `Documents of ${spv.identifier}`)).toBeVisible();
  await expect(uploads).toHaveCount(0);
});
