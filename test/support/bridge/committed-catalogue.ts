import { readFileSync } from 'node:fs'
import { readCatalogue, type Catalogue } from '../../../tools/catalogue/catalogue.ts'

const documentFile = new URL('../../../openapi.json', import.meta.url)
let catalogue: Catalogue | undefined

/**
 * Reads the catalogue of `openapi.json`, whose API is at `http://127.0.0.1:3333`. All files that a process runs share
 * one, because reading it compiles every schema of the document. A test that changes it reads one of its own.
 */
export function readCommittedCatalogue(): Catalogue {
  catalogue ??= readCatalogue(JSON.parse(readFileSync(documentFile, 'utf8')), 'http://127.0.0.1:3333')
  return catalogue
}
