// Follows an import or another job while its page is open. Without this script the page looks again by itself.
const part = document.querySelector('[data-follow]')
const again = () => location.reload()

if (part instanceof HTMLElement) {
  let first = null
  // Says when the job is through, if it goes on as it did since the page was opened.
  const showEnd = ({ total, completed, failed }) => {
    const time = part.querySelector('[data-end]')
    const [now, done] = [Date.now(), completed + failed]
    first ??= { now, done }
    if (!time || done <= first.done || done >= total) return
    const end = new Date(now + ((now - first.now) / (done - first.done)) * (total - done)).toISOString()
    time.setAttribute('datetime', end)
    time.textContent = `${end.slice(11, 16)} UTC`
    part.querySelector('[data-through]').hidden = false
    part.querySelector('[data-later]').hidden = true
  }
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
    showEnd(job)
  }
  // The browser tries again by itself unless it was told to stop.
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(again, 2_000)
  }
}
