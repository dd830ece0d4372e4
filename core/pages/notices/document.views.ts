import type { DidDocumentWarning } from '../../features/certification/index.ts'
import { html, type Markup } from '../site/html.ts'

const headings: Record<DidDocumentWarning['kind'], string> = {
  missing: 'Your DID document is missing',
  awaited: 'Nothing is signed until your DID document has the new key',
}

/**
 * Renders for members what is wrong with the DID document of their organization and what to do; false if nothing is
 * wrong.
 */
export function renderDocumentNotice(fault: DidDocumentWarning | null | undefined): Markup | false {
  if (!fault) return false
  const { kind, domain, since } = fault
  const instant = since.toISOString()
  const time = html`<time datetime="${instant}">${instant.slice(0, 16).replace('T', ' ')} UTC</time>`
  const address = html`<code>https://${domain}/.well-known/did.json</code>`
  const sentence =
    kind === 'missing'
      ? html`${address} has not been as verifiers need it since ${time}, so others cannot verify your certificates. Signing goes on under the same identifier.`
      : html`${address} does not have the key that took the place of a revoked one at ${time}. Certificates wait for it.`
  return html`<div class="notice" role="alert">
<p><span aria-hidden="true">⚠ </span><strong>${headings[kind]}</strong></p>
<p>${sentence} Publish the document that the did:web configuration shows.</p>
</div>`
}
