// What was dropped on the page: files, and whole folders as Chromium, Firefox and Safari hand them over.

const HIDDEN = /^(\.|Thumbs\.db$|desktop\.ini$)/;

/** @param {DataTransfer} transfer @returns {Promise<File[]>} */
export async function droppedFiles(transfer) {
  // Entries must be taken before the first await: the transfer is emptied when the event is over.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return visible(await readableOnly([...transfer.files]));
  return visible((await Promise.all(entries.map(filesIn))).flat());
}

/** Empty files among them: the service says what is wrong with those. */
export function visible(files) {
  return files.filter((file) => !HIDDEN.test(file.name));
}

/** Where a browser hands over no entries, a folder looks like a file, and only reading it tells. */
async function readableOnly(files) {
  const read = files.map((file) => file.slice(0, 1).arrayBuffer().then(() => true, () => false));
  const isReadable = await Promise.all(read);
  return files.filter((_, index) => isReadable[index]);
}

async function filesIn(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
  const reader = entry.createReader();
  const found = [];
  // A folder is read in portions; an empty one is the last.
  for (;;) {
    const portion = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!portion.length) break;
    found.push(...portion);
  }
  return (await Promise.all(found.map(filesIn))).flat();
}
