const description = document.querySelector<HTMLMetaElement>('meta[name=description]')?.content

/** Description of the page, which the server also writes below the title. */
export const Lead = () => <p class="lead">{description}</p>
