// Lets the previews of a form follow what is typed, and adds pickers to its colours. Without this script a button shows
// the previews.
const form = document.querySelector('form[data-previews]')

if (form instanceof HTMLFormElement) {
  const names = (form.dataset['previews'] ?? '').split(' ')
  const read = (name) => form.elements.namedItem(name)?.value.trim() ?? ''
  // Of a text in several languages, a preview needs the one that it shows: an address has no room for all.
  const listShown = () => {
    const languages = [form.dataset['language'] ?? 'en', read('languages1'), 'en']
    const given = names.filter((name) => read(name) !== '')
    const texts = given.filter((name) => name.includes('.'))
    const find = (text) =>
      languages.map((language) => `${text}.${language}`).find((name) => texts.includes(name))
      ?? texts.find((name) => name.startsWith(`${text}.`))
    const shown = new Set(texts.map((name) => find(name.split('.')[0])))
    return given.filter((name) => !name.includes('.') || shown.has(name))
  }
  const show = () => {
    const query = new URLSearchParams(listShown().map((name) => [name, read(name)]))
    for (const frame of document.querySelectorAll('iframe[data-preview]')) {
      const address = `${frame.dataset['preview']}?${query}`
      // Replaced, so that the way back leads out of the page and not through what was typed.
      frame.contentWindow?.location.replace(address)
      frame.closest('figure')?.querySelector('a')?.setAttribute('href', address)
    }
  }
  let timer = 0
  form.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(show, 250)
  })
  for (const picker of form.querySelectorAll('input[data-for]')) {
    const field = form.elements.namedItem(picker.dataset['for'])
    const follow = () => {
      if (/^#[0-9a-f]{6}$/i.test(field.value)) picker.value = field.value
    }
    picker.hidden = false
    picker.addEventListener('input', () => (field.value = picker.value))
    field.addEventListener('input', follow)
    follow()
  }
}
