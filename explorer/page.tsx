/** What runs when a page is loaded? Takes the words of the deployment from the document and puts the view of the path in its place. */
import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
