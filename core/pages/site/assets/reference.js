// Shows the API reference with the library, in place of the list that the page has without scripts. The list stays until
// the reference is there, and where it cannot be shown.
const place = document.getElementById('reference')
const list = document.getElementById('content')
const state = document.getElementById('reference-state')
const skip = document.querySelector('a.skip')
const toSlug = (name) => name.toLowerCase().replace(/\W+/g, '-')

/** Nothing is fetched from elsewhere or sent there, and nothing offers a service of somebody else. */
const settings = {
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'none',
  // A key is kept until the page is left, and not in the browser's storage.
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'api_key' },
  defaultOpenFirstTag: false,
  hideModels: true,
  // The same addresses as in the list.
  generateTagSlug: ({ name }) => toSlug(name ?? ''),
  generateOperationSlug: ({ operationId, method, path }) => operationId ?? `${method}${path}`,
}

/**
 * Lets the form begin with what a request needs. An example of what may be left out is shown and not sent: together they
 * would ask for a page that does not exist.
 */
function leaveOut(parameter) {
  if (parameter.required === true) return
  for (const form of [parameter, ...Object.values(parameter.content ?? {})]) {
    if (form.example === undefined) continue
    const value = typeof form.example === 'object' ? JSON.stringify(form.example) : form.example
    form.examples = { example: { value, 'x-disabled': true } }
    delete form.example
  }
}

/** Adds to the document what the library does not show by itself: the quick starts, who may call, and names of tools. */
function describe(contract) {
  contract.servers = [{ url: location.origin }]
  contract.info.description += `\n\n${place.dataset['introduction']}`
  for (const operation of Object.values(contract.paths).flatMap((methods) => Object.values(methods))) {
    const { 'x-access': access, 'x-mcp-type': kind, 'x-mcp-name': name } = operation
    const assistants = name === undefined ? '' : ` For assistants: ${kind} \`${name}\`.`
    for (const parameter of operation.parameters ?? []) leaveOut(parameter)
    operation.description = `${operation.description ?? ''}\n\nAccess: \`${access}\`.${assistants}`
  }
  return contract
}

/** Takes the list away once the reference is drawn. Until then the list lies over it, where the reader left it. */
function replaceList() {
  if (place.querySelector('h1') === null) return false
  list.remove()
  skip.href = '#reference'
  // The styles of our other pages would apply to the elements of the library as well.
  document.querySelector('link[href="/assets/tessera.css"]').disabled = true
  document.documentElement.classList.replace('is-mounting', 'is-mounted')
  return true
}

async function show() {
  state.textContent = state.dataset['loading']
  const answer = await fetch('/openapi.json')
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`)
  const content = describe(await answer.json())
  const { scrollY } = window
  document.documentElement.classList.add('is-mounting')
  list.scrollTop = scrollY
  window.Scalar.createApiReference(place, { ...settings, content })
  skip.addEventListener('click', (event) => {
    event.preventDefault()
    place.focus()
  })
  const observer = new MutationObserver(() => replaceList() && observer.disconnect())
  observer.observe(place, { childList: true, subtree: true })
}

show().catch((error) => {
  state.textContent = state.dataset['failed']
  throw error
})
