// Lets the cards and the numbers follow the form of a campaign. Without this script its buttons show them.
const form = document.querySelector('form[data-campaign]')

if (form instanceof HTMLFormElement) {
  const read = (name) => form.elements.namedItem(name)?.value ?? ''
  for (const part of form.querySelectorAll('[data-without-script]')) part.hidden = true
  // What a text field says, the cards say, and a line beneath counts its characters as the server does.
  const showTexts = () => {
    for (const part of form.querySelectorAll('[data-shows]'))
      part.textContent = read(part.dataset.shows).trim() || part.dataset.empty
    for (const part of form.querySelectorAll('[data-count-of]')) {
      const length = [...read(part.dataset.countOf).trim()].length
      part.textContent = part.dataset.template.replace('#', length)
      part.className = length > Number(part.dataset.limit) ? 'bad' : 'quiet'
    }
  }
  // The name of a box is the beginning of that of its wallet.
  const showWallets = () => {
    for (const part of form.querySelectorAll('[data-wallet]'))
      part.hidden = !form.elements.namedItem(part.dataset.wallet.split('-')[0]).checked
  }
  const texts = ['name', 'description', 'headline', 'body']
  const here = form.querySelector('[data-numbers-here]')
  let asking = new AbortController()
  // Only the newest question is answered.
  const showNumbers = async () => {
    asking.abort()
    asking = new AbortController()
    const fields = [...new FormData(form)].filter(
      ([name, value]) => value !== '' && !texts.includes(name) && name !== 'mark',
    )
    const { signal } = asking
    try {
      const answer = await fetch(`${form.dataset.numbers.split('?')[0]}?${new URLSearchParams(fields)}`, { signal })
      // Somebody who was signed out, or a fault: the numbers of before would be wrong.
      if (!answer.ok || answer.redirected) return here.replaceChildren('–')
      here.innerHTML = await answer.text()
    } catch (cause) {
      if (!signal.aborted) here.replaceChildren('–')
    }
  }
  let timer = 0
  form.addEventListener('input', ({ target }) => {
    showTexts()
    if (texts.includes(target.name)) return
    showWallets()
    clearTimeout(timer)
    timer = setTimeout(showNumbers, 300)
  })
}
