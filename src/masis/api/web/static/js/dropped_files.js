// What was dropped on the page: files, and whole folders as Chromium, Firefox and Safari hand them over.

const HIDDEN = /^(\.|Thumbs\.db$|desktop\.ini$)/;

/** @param {DataTransfer} transfer @returns {Promise<File[]>} */
export async function droppedFiles(transfer) {
  // Entries must be taken before the first await: the transfer is emptied when the event is over.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return visible([...transfer.files]);
  return visible((await Promise.all(entries.map(filesIn))).flat());
}

export function visible(files) {
  return files.filter((file) => !HIDDEN.test(file.name) && file.size > 0);
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
