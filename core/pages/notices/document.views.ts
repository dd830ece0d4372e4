import type { DocumentFault } from '../../features/certification/index.ts'
import { html, type Markup } from '../html.ts'

const heads: Record<DocumentFault['kind'], string> = {
  missing: 'Your DID document is missing',
  awaited: 'Nothing is signed until your DID document has the new key',
}

/** Tells members what is wrong with the DID document of their organization, and what to do; nothing where all is well. */
export function documentNotice(fault: DocumentFault | null | undefined): Markup | false {
  if (!fault) return false
  const { kind, domain, since } = fault
  const instant = since.toISOString()
  const time = html`<time datetime="${instant}">${instant.slice(0, 16).replace('T', ' ')} UTC</time>`
  const address = html`<code>https://${domain}/.well-known/did.json</code>`
  const told = kind === 'missing'
    ? html`${address} has not been as verifiers need it since ${time}, so others cannot verify your certificates. Signing goes on under the same identifier.`
    : html`${address} does not have the key that took the place of a revoked one at ${time}. Certificates wait for it.`
  return html`<div class="notice" role="alert">
<p><span aria-hidden="true">⚠ </span><strong>${heads[kind]}</strong></p>
<p>${told} Publish the document that the did:web configuration shows.</p>
</div>`
}
