import { writeFile } from 'node:fs/promises';
import { generatedFiles, ROOT } from './openapi/generate.ts';

// Writes the files that are made from the routes: the API's description, and what the client has of it.
for (const [file, text] of Object.entries(await generatedFiles())) {
  await writeFile(new URL(file, ROOT), text);
  console.log(`wrote ${file}`);
}
