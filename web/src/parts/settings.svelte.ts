// The person's choices, kept in the browser.

type Choice = 'sound' | 'contrast' | 'motion';

class Settings {
  sound = $state(read('sound') === 'on');
  contrast = $state(read('contrast') === 'on');
  motion = $state(read('motion') === 'on');

  choose(choice: Choice, isOn: boolean): void {
    this[choice] = isOn;
    localStorage.setItem(`taisai.${choice}`, isOn ? 'on' : 'off');
    this.apply();
  }

  apply(): void {
    const { dataset } = document.documentElement;
    dataset['contrast'] = this.contrast ? 'high' : 'normal';
    dataset['motion'] = this.motion ? 'less' : 'full';
  }
}

function read(choice: Choice): string | null {
  return localStorage.getItem(`taisai.${choice}`);
}

export const settings = new Settings();
