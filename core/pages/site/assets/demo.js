// Follows a run of a demo while its page is open: when its job moves, the calls that were made meanwhile are fetched.
// Without this script the page looks again by itself.
const part = document.querySelector('[data-run]')
const pauseMs = 500
let isFetching = false
let isStale = false

async function refresh() {
  if (isFetching) {
    isStale = true
    return
  }
  isFetching = true
  isStale = false
  try {
    const answer = await fetch(location.href)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const next = page.querySelector('[data-run]')
    if (!next || !answer.ok) return location.reload()
    part.replaceChildren(...next.childNodes)
  } catch {
    // The next change brings what this one did not.
  }
  setTimeout(() => {
    isFetching = false
    if (isStale) refresh()
  }, pauseMs)
}

if (part instanceof HTMLElement && part.dataset['run']) {
  const source = new EventSource(part.dataset['run'])
  source.onmessage = ({ data }) => {
    if (JSON.parse(data).status === 'pending') return void refresh()
    source.close()
    location.reload()
  }
  // The browser tries again by itself unless it was told to stop.
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 2_000)
  }
}
