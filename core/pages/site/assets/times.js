// Shows times in the zone and the language of the reader; the time in UTC becomes the title. Without this script a page
// shows UTC. Times that come later, with the progress of a job, are shown in the same way.
const language = document.documentElement.lang || 'en'
const formatInstant = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
const formatDay = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })

function showLocally(root) {
  for (const time of root.querySelectorAll('time[data-shown]')) {
    const instant = new Date(time.getAttribute('datetime') ?? '')
    if (time.dataset['local'] === time.getAttribute('datetime') || Number.isNaN(instant.getTime())) continue
    time.dataset['local'] = time.getAttribute('datetime')
    time.title = `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    time.textContent = (time.dataset['shown'] === 'day' ? formatDay : formatInstant).format(instant)
  }
}

showLocally(document)
new MutationObserver(() => showLocally(document)).observe(document.body, { childList: true, subtree: true })
