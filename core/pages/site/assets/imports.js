// Follows an import or another job while its page is open. Without this script the page looks again by itself.
const part = document.querySelector('[data-follow]')
const again = () => location.reload()

if (part instanceof HTMLElement) {
  const source = new EventSource(part.dataset['follow'] ?? '')
  source.onmessage = ({ data }) => {
    const job = JSON.parse(data)
    if (job.status !== 'pending') {
      source.close()
      return again()
    }
    const bar = part.querySelector('progress')
    const done = job.progress ?? (job.total > 0 ? (job.completed + job.failed) / job.total : 0)
    if (bar && job.total > 0) bar.value = done
    for (const name of ['completed', 'failed']) {
      const place = part.querySelector(`[data-count="${name}"]`)
      if (place) place.textContent = job[name].toLocaleString(document.documentElement.lang)
    }
    const share = part.querySelector('[data-share]')
    if (share) share.textContent = `${Math.floor(done * 100)} %`
  }
  // The browser tries again by itself unless it was told to stop.
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(again, 2_000)
  }
}
