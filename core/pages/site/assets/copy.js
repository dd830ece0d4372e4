// Copies what stands in an element, for example a secret that is shown once. Without this script the button is absent.
for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!(button instanceof HTMLButtonElement)) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset['copy'] ?? '')
    await navigator.clipboard.writeText(source?.textContent ?? '')
    button.textContent = button.dataset['done'] ?? ''
  })
}
