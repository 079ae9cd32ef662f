/** Entry point of the page script: replaces the summary of the HTML shell with the app. */
import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
