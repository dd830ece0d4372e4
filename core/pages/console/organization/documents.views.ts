import type { LegalDocument } from '../../../features/identity/index.ts'
import { html, type Markup } from '../../site/html.ts'

/** A document in the version that a page shows. */
type ShownDocument = Pick<LegalDocument, 'id' | 'version' | 'title'>

/** Renders the names of documents, each with the way to its text. */
export const renderDocumentLinks = (documents: readonly ShownDocument[]): Markup =>
  html`${documents.map(
    ({ id, version, title }, at) =>
      html`${at > 0 && ', '}<a href="/legal/${id}?version=${encodeURIComponent(version)}" target="_blank" lang="en">${title}</a>`,
  )}`

/** Renders the box to tick, and which versions it is about. */
export const renderAcceptance = (
  documents: readonly ShownDocument[],
  sentence: string,
  isRequired: boolean,
): Markup => html`<input type="hidden" name="versions" value="${formatVersions(documents)}">
<label class="option"><input name="accepts" type="checkbox" value="yes"${isRequired && html` required`}>
<span>${sentence}: ${renderDocumentLinks(documents)}</span></label>`

const formatVersions = (documents: readonly ShownDocument[]) =>
  documents.map(({ id, version }) => `${id}@${version}`).join(' ')

/** Reads which versions a form is about. */
export const parseVersions = (versions: string): { document: string; version: string }[] =>
  versions
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const at = word.indexOf('@')
      return { document: word.slice(0, at), version: word.slice(at + 1) }
    })
