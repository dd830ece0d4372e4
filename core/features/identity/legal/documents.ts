import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { createJsonValidator } from '../../../kernel/json/schema-validators.ts'
import {
  LegalDocumentHead,
  type LegalAudience,
  type LegalDocument,
  type LegalDocumentHead as Head,
} from './legal.schema.ts'

/** A version of a document as it was published. */
export interface PublishedDocument extends Head {
  /** Its text in Markdown, without the head. */
  text: string
  /** SHA-256 of the text as UTF-8, in lower-case hexadecimal digits. */
  sha256: string
}

const folder = new URL('documents/', import.meta.url)
const headPattern = /^---\n(.*?)\n---\n+(.*)$/s
const validateHead = createJsonValidator(() => LegalDocumentHead)

/** Reads a file: its head in YAML between two lines of dashes, then its text. @throws Error that names the file */
function readDocument(file: string): PublishedDocument {
  const [, head = '', text = ''] = headPattern.exec(readFileSync(new URL(file, folder), 'utf8')) ?? []
  const values: unknown = parse(head)
  const [issue] = validateHead(values, '', head.length)
  if (issue) throw new Error(`The document ${file} is wrong: ${issue.path} ${issue.message}`)
  return { ...(values as Head), text, sha256: createHash('sha256').update(text).digest('hex') }
}

/** All versions, the newest first. Old versions stay, so that everybody can read what was accepted. */
const published: readonly PublishedDocument[] = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .map(readDocument)
  .sort((one, other) => (one.publishedAt < other.publishedAt ? 1 : -1))

/** Lists the current version of each document for an audience. */
export const listCurrentDocuments = (audience: LegalAudience): PublishedDocument[] =>
  published.filter((document) => document.audience === audience && findDocument(document.id) === document)

/** Finds a version of a document, the current one if none is named. */
export const findDocument = (id: string, version?: string): PublishedDocument | undefined =>
  published.find((document) => document.id === id && (version ?? document.version) === document.version)

/** Returns a document as the API answers it. */
export const presentDocument = (
  { settings }: { settings: { baseUrl: string } },
  { id, audience, kind, version, title, publishedAt }: PublishedDocument,
): LegalDocument => ({
  id,
  audience,
  kind,
  version,
  title,
  url: `${settings.baseUrl}/legal/${id}?version=${encodeURIComponent(version)}`,
  publishedAt,
})
